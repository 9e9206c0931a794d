"""WizardLM-2 against copies of its maker's templates."""

from lect_kit import AdapterSuite


class TestWizardlm(AdapterSuite):
    plugin = "wizardlm"
    goldens = {
        "golden/lucyknada--microsoft_WizardLM-2-7B.json": "wizardlm-2",
        "golden/alpindale--WizardLM-2-8x22B.json": "wizardlm-2-8x22b",
    }
    examples = {
        "lucyknada/microsoft_WizardLM-2-7B": "wizardlm-2",
        "MaziyarPanahi/WizardLM-2-7B-AWQ": "wizardlm-2",
        "alpindale/WizardLM-2-8x22B": "wizardlm-2-8x22b",
    }
    others = ["WizardLM/WizardLM-13B-V1.0", "WizardLM/WizardLM-2-70B"]
