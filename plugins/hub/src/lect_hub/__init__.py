"""Models on the Hugging Face hub: `hf:owner/name[@revision]`. Nothing is asked of the network unless a path says so."""

from lect.plugin import hookimpl

__lect_api__ = "~=1.0"


class Hub:
    """Finds the files of a model in the local cache, or fetches them; lect-jinja reads them as those of a directory."""

    name = "hub"

    @hookimpl
    def alias(self, model_path: str) -> str:
        """Return the directory of the cache with the files of a model; its name is the commit."""
        from lect_hub.cache import located

        return located(model_path)


adapter = Hub()
