"""Earlier revisions of formats: what is known of a format holds for them too, where nothing else is stated."""


def default(template):
    """Return the name of the template that is the default of its model: of several revisions, the last."""
    return [template.name, *template.revisions][-1] if template.revision() else template.name
