"""Rollouts: conversations that are sampled turn by turn, ids in and ids out."""

from lect_rollout.rollout import Drift, Rollout
from lect_rollout.trajectory import MessageSpan, Trajectory

__all__ = ["Drift", "MessageSpan", "Rollout", "Trajectory"]
