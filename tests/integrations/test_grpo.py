"""The example of GRPO with a tool, trained for a few steps: a tiny random model, TRL's own trainer."""

import importlib.util
import random
from collections import defaultdict

import pages
import pytest

import lect

torch = pytest.importorskip("torch")
trl = pytest.importorskip("trl")
datasets = pytest.importorskip("datasets")
tiny_model = pytest.importorskip("tiny_model")

# TRL passes options to transformers that are deprecated there.
pytestmark = pytest.mark.filterwarnings("ignore::FutureWarning")

CITIES = ("Ulm", "Oslo")
CALL = '<tool_call>\n{{"name": "weather", "arguments": {{"city": "{}"}}}}\n</tool_call><|im_end|>'


@pytest.fixture(scope="module")
def recipe():
    """The example, as a module."""
    spec = importlib.util.spec_from_file_location("recipe", pages.REPOSITORY / "examples/grpo_with_a_tool.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def tokenizer():
    return tiny_model.tiny_tokenizer()


class Sampling:
    """Records what a model samples. A random model never calls a tool, so this one may sample only the calls of two
    cities, in the tokenizer's own tokens or letter by letter, and after a result any three words and the stop."""

    def __init__(self, model, tokenizer):
        self.sampled = []
        self._generate, model.generate = model.generate, self.generate
        self._stop = tokenizer.eos_token_id
        self._answered = tokenizer.convert_tokens_to_ids("</tool_response>")
        self._words = [each for each in range(len(tokenizer)) if each not in tokenizer.added_tokens_decoder]
        self._calls = []
        for text in map(CALL.format, CITIES):
            begin, *inner, close, stop = tokenizer.encode(text)
            letters = [each for letter in tokenizer.decode(inner) for each in tokenizer.encode(letter)]
            assert letters != inner
            self._calls += [[begin, *inner, close, stop], [begin, *letters, close, stop]]

    def generate(self, prompts, **settings):
        begin = prompts.shape[1]
        output = self._generate(
            prompts,
            prefix_allowed_tokens_fn=lambda _, ids: self._allowed(ids[:begin], ids[begin:].tolist()),
            **settings,
        )
        self.sampled.append(output.sequences[:, begin:].tolist())
        return output

    def _allowed(self, prompt, sampled):
        if self._answered in prompt:
            return self._words if len(sampled) < 3 else [self._stop]
        at = len(sampled)
        return sorted({call[at] for call in self._calls if call[:at] == sampled and call[at:]}) or [self._stop]


class Recording:
    """What the trainer is given in each step, and the log probabilities that its own model finds in it."""

    def __init__(self, trainer):
        self.steps = []
        self._trainer, self._loss, trainer.compute_loss = trainer, trainer.compute_loss, self.compute_loss

    def compute_loss(self, model, inputs, **settings):
        ids = torch.cat([inputs["prompt_ids"], inputs["completion_ids"]], 1)
        mask = torch.cat([inputs["prompt_mask"], inputs["completion_mask"]], 1)
        with torch.no_grad():
            logits = model(ids, attention_mask=mask, position_ids=mask.cumsum(1) - 1).logits[:, :-1]
        found = (logits / self._trainer.temperature).log_softmax(-1).gather(2, ids[:, 1:, None])[..., 0]
        self.steps.append({**inputs, "found": found[:, -inputs["completion_ids"].shape[1] :]})
        return self._loss(model, inputs, **settings)


def settings(directory, **others):
    return {
        "output_dir": str(directory),
        "max_steps": 2,
        "per_device_train_batch_size": 4,
        "num_generations": 4,
        "max_completion_length": 80,
        "learning_rate": 0.01,
        "report_to": "none",
        "save_strategy": "no",
        "use_cpu": True,
        "disable_tqdm": True,
        "seed": 1,
        **others,
    }


def rows(ids, mask):
    return [row[kept].tolist() for row, kept in zip(ids, mask, strict=True)]


@pytest.fixture(autouse=True)
def silence(monkeypatch):
    monkeypatch.setenv("TRL_EXPERIMENTAL_SILENCE", "1")


def test_what_is_trained_is_what_was_sampled(recipe, tokenizer, tmp_path):
    model = tiny_model.tiny_model(tokenizer)
    before = [each.clone() for each in model.parameters()]
    trainer = recipe.trainer_of(model, tokenizer, **settings(tmp_path))
    sampling, recording = Sampling(model, tokenizer), Recording(trainer)
    trainer.train()
    assert [len(rows) for rows in sampling.sampled] == [4] * 4  # In both steps, each of four makes a call and answers.
    assert len(recording.steps) == 2
    spellings = set()
    for number, step in enumerate(recording.steps):
        turns = zip(*sampling.sampled[2 * number : 2 * number + 2], strict=True)
        sampled = [[each for ids in pair for each in ids[: ids.index(tokenizer.eos_token_id) + 1]] for pair in turns]
        all_there = step["completion_mask"].bool()
        own = all_there & step["tool_mask"].bool()
        # TRL shuffles the rows.
        assert sorted(rows(step["completion_ids"], own)) == sorted(sampled)
        torch.testing.assert_close(step["sampling_per_token_logps"][own], step["found"][own], rtol=1e-4, atol=1e-4)
        for results in rows(step["completion_ids"], all_there & ~own):
            assert "<tool_response>\n" in tokenizer.decode(results)
        spellings |= {ids.index(tokenizer.eos_token_id) for ids in sampled}
    assert len(spellings) > 2  # Calls of both cities, and one of them in tokens of two kinds.
    assert any(not torch.equal(*pair) for pair in zip(before, model.parameters(), strict=True))
    rewards = {each for step in trainer.state.log_history for name, each in step.items() if name == "reward"}
    assert max(rewards) > 0


def test_samples_that_break_off_end_their_conversations(recipe, tokenizer, tmp_path):
    model = tiny_model.tiny_model(tokenizer)
    trainer = recipe.trainer_of(model, tokenizer, **settings(tmp_path, max_completion_length=9, max_steps=1))
    sampling, recording = Sampling(model, tokenizer), Recording(trainer)
    trainer.train()
    (step,) = recording.steps
    assert sorted(step["completion_ids"].tolist()) == sorted(sampling.sampled[0])
    assert step["tool_mask"].all()
    assert len(sampling.sampled) == 1


# Rollouts in a file


def played(tokenizer, tools, seed):
    """Return a conversation with a call, a result and an answer, in ids that no tokenizer would choose."""
    draw = random.Random(seed)
    words = [each for each in range(len(tokenizer)) if each not in tokenizer.added_tokens_decoder]
    rollout = lect.rollout(
        tiny_model.MODEL, [{"role": "user", "content": f"Is it warm? {seed}"}], tokenizer, tools=tools
    )
    begin, *inner, close, stop = tokenizer.encode(CALL.format(draw.choice(CITIES)))
    letters = [each for letter in tokenizer.decode(inner) for each in tokenizer.encode(letter)]
    answer = [*draw.choices(words, k=draw.randrange(1, 9)), stop]
    for ids in ([begin, *draw.choice([inner, letters]), close, stop], answer):
        reply = rollout.feed(ids, [-draw.random() for _ in ids])
        if reply.tool_calls:
            rollout.add([{"role": "tool", "tool_call_id": call.id, "content": "4 °C"} for call in reply.tool_calls])
    return rollout


@pytest.fixture
def stored(recipe, tokenizer, tmp_path, monkeypatch):
    """Return rollouts, and the rows that `datasets` reads from the file that the page writes."""
    rollouts = [played(tokenizer, recipe.TOOLS, seed) for seed in range(8)]
    page = pages.DOCS / "how-to/roll-out-with-tools.md"
    (code,) = [each.code for each in pages.python_examples(page, ("py",)) if "rollouts.parquet" in each.code]
    monkeypatch.chdir(tmp_path)
    exec(code.replace("[rollout]", "given"), {"given": rollouts})
    loaded = datasets.load_dataset(
        "parquet", data_files="rollouts.parquet", split="train", cache_dir=str(tmp_path / "cache")
    )
    return rollouts, loaded


def test_rollouts_in_a_file_are_trained_as_they_were_sampled(stored, tokenizer, tmp_path):
    rollouts, loaded = stored
    assert [row["logprobs"] for row in loaded] == [rollout.encoded.logprobs for rollout in rollouts]
    trainer = trl.SFTTrainer(
        model=tiny_model.tiny_model(tokenizer),
        processing_class=tokenizer,
        train_dataset=loaded,
        args=trl.SFTConfig(
            output_dir=str(tmp_path), max_length=None, max_steps=1, use_cpu=True, report_to="none", save_strategy="no"
        ),
    )
    (batch,) = trainer.get_train_dataloader()
    assert sorted(rows(batch["input_ids"], batch["attention_mask"].bool())) == sorted(each.ids for each in rollouts)
    labels = sorted(rows(batch["labels"], batch["attention_mask"].bool()))
    assert labels == sorted(each.encoded.labels for each in rollouts)
    trainer.train()


def test_rollouts_in_a_file_reach_grpo_as_they_were_sampled(stored, tokenizer, tmp_path):
    rollouts, loaded = stored
    groups = defaultdict(list)
    for number, row in enumerate(loaded):
        groups[str(number // 4)].append(row)

    def replayed(prompts, trainer):
        found = [groups[prompt].pop() for prompt in prompts]
        starts = [next(at for at, label in enumerate(row["labels"]) if label != -100) for row in found]
        each = list(zip(found, starts, strict=True))
        return {
            "prompt_ids": [row["input_ids"][:start] for row, start in each],
            "completion_ids": [row["input_ids"][start:] for row, start in each],
            "logprobs": [[value or 0.0 for value in row["logprobs"][start:]] for row, start in each],
            "env_mask": [[int(label != -100) for label in row["labels"][start:]] for row, start in each],
        }

    trainer = trl.GRPOTrainer(
        model=tiny_model.tiny_model(tokenizer),
        processing_class=tokenizer,
        reward_funcs=lambda completions, **_: [float(len(each)) for each in completions],
        rollout_func=replayed,
        train_dataset=datasets.Dataset.from_dict({"prompt": list(groups)}),
        args=trl.GRPOConfig(
            **settings(tmp_path, max_steps=1, per_device_train_batch_size=8, max_completion_length=400)
        ),
    )
    recording = Recording(trainer)
    trainer.train()
    (step,) = recording.steps
    asked = rows(step["prompt_ids"], step["prompt_mask"].bool())
    there = step["completion_mask"].bool()
    answered = rows(step["completion_ids"], there)
    assert sorted(map(list.__add__, asked, answered)) == sorted(each.ids for each in rollouts)
    own = there & step["tool_mask"].bool()
    sampled = [
        [(one, value) for one, value in zip(each.ids, each.encoded.logprobs, strict=True) if value is not None]
        for each in rollouts
    ]
    found = zip(rows(step["completion_ids"], own), rows(step["sampling_per_token_logps"], own), strict=True)
    given = [list(zip(*pair, strict=True)) for pair in found]
    for one, other in zip(sorted(sampled), sorted(given), strict=True):
        assert [each for each, _ in one] == [each for each, _ in other]
        assert [value for _, value in one] == pytest.approx([value for _, value in other])
