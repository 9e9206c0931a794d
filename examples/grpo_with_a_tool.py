"""GRPO with a tool, by the `rollout_func` of TRL: ids are sampled, never encoded again.

pip install ./core ./plugins/qwen ./addons/rollout torch "trl>=1.16,<2"
python examples/grpo_with_a_tool.py Qwen/Qwen3-0.6B
"""

import sys

import torch
from datasets import Dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import GRPOConfig, GRPOTrainer
from trl.models import unwrap_model_for_generation

import lect

TEMPERATURES = {"Ulm": "13 °C", "Oslo": "4 °C"}
WEATHER = {
    "name": "weather",
    "description": "Return the temperature in a city.",
    "parameters": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]},
}
TOOLS = [{"type": "function", "function": WEATHER}]
LONGEST = 6
"""How many messages a conversation may have before its last answer."""


def generate(trainer, prompts):
    """Return the ids that the model samples after each prompt, up to the stop, with their log probabilities."""
    pad, stops = trainer.processing_class.pad_token_id, torch.tensor(trainer.eos_token_ids)
    longest = max(map(len, prompts))
    padded = torch.tensor([[pad] * (longest - len(ids)) + ids for ids in prompts], device=trainer.accelerator.device)
    attended = torch.tensor([[0] * (longest - len(ids)) + [1] * len(ids) for ids in prompts], device=padded.device)
    with torch.no_grad(), unwrap_model_for_generation(trainer.model_wrapped, trainer.accelerator) as model:
        output = model.generate(padded, attention_mask=attended, generation_config=trainer.generation_config)
    sampled = output.sequences[:, longest:]
    # As GRPO itself computes them: at the temperature of sampling.
    logprobs = (torch.stack(output.logits, dim=1).float() / trainer.temperature).log_softmax(-1)
    logprobs = logprobs.gather(2, sampled.unsqueeze(2)).squeeze(2)
    found = []
    for ids, each in zip(sampled.cpu(), logprobs.cpu(), strict=True):
        ends = torch.isin(ids, stops).nonzero()
        end = int(ends[0]) + 1 if len(ends) else len(ids)
        found.append((ids[:end].tolist(), each[:end].tolist()))
    return found


def run(call):
    """Return the result of a call, whatever the model has written for its arguments."""
    city = call.arguments.get("city") if isinstance(call.arguments, dict) else None
    return TEMPERATURES.get(str(city), "unknown")


def goes_on(rollout):
    """Add the results of the calls that were sampled, and return whether another sample is needed."""
    calls = rollout.reply.tool_calls
    if not calls or len(rollout.messages) >= LONGEST:
        return False
    try:
        rollout.add([{"role": "tool", "tool_call_id": call.id, "content": run(call)} for call in calls])
    except lect.RefusedError:
        return False  # The sample breaks off in another call.
    return True


def rollout_func(prompts, trainer):
    """Play one conversation for each prompt. TRL repeats a prompt for each completion of its group."""
    path, tokenizer = trainer.model.name_or_path, trainer.processing_class
    rollouts = [lect.rollout(path, prompt, tokenizer, tools=TOOLS) for prompt in prompts]
    starts = [len(rollout.ids) for rollout in rollouts]
    waiting = rollouts
    while waiting:
        samples = generate(trainer, [rollout.ids for rollout in waiting])
        for rollout, (ids, logprobs) in zip(waiting, samples, strict=True):
            rollout.feed(ids, logprobs)
        waiting = [rollout for rollout in waiting if goes_on(rollout)]
    played = [(rollout.encoded, start) for rollout, start in zip(rollouts, starts, strict=True)]
    return {
        "prompt_ids": [encoded.ids[:start] for encoded, start in played],
        "completion_ids": [encoded.ids[start:] for encoded, start in played],
        # Of tokens that were not sampled, TRL reads nothing.
        "logprobs": [[each or 0.0 for each in encoded.logprobs[start:]] for encoded, start in played],
        "env_mask": [[int(weight) for weight in encoded.weights[start:]] for encoded, start in played],
        "messages": [rollout.messages for rollout in rollouts],  # TRL hands it to the reward.
    }


def reward(messages, city, **_):
    """Return, for each conversation, 1 if the answer has the temperature, and a half for a call with the right city."""
    return [score(talk, place) for talk, place in zip(messages, city, strict=True)]


def score(talk, city):
    """Return the reward of one conversation."""
    calls = [call["function"]["arguments"] for message in talk for call in message.get("tool_calls", ())]
    return 0.5 * ({"city": city} in calls) + (TEMPERATURES[city] in (talk[-1]["content"] or ""))


def trainer_of(model, tokenizer, **settings):
    """Return the trainer. It is given no `tools`: if it were, TRL would render the results of calls by itself."""
    rows = [
        {"prompt": [{"role": "user", "content": f"How warm is it in {city}?"}], "city": city} for city in TEMPERATURES
    ]
    return GRPOTrainer(
        model=model,
        processing_class=tokenizer,
        reward_funcs=reward,
        rollout_func=rollout_func,
        train_dataset=Dataset.from_list(rows),
        args=GRPOConfig(generation_kwargs={"return_dict_in_generate": True, "output_logits": True}, **settings),
    )


if __name__ == "__main__":
    path = sys.argv[1]
    trainer_of(
        AutoModelForCausalLM.from_pretrained(path),
        AutoTokenizer.from_pretrained(path),
        output_dir="trained",
        max_completion_length=512,
        per_device_train_batch_size=8,
        num_generations=8,
    ).train()
