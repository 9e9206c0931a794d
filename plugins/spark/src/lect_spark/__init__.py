"""Spark, by iFlytek's SparkLLM team."""

from lect.plugin import DEFAULT, Family, Rule
from lect_spark.x2_5 import SPARK_X2_5

__lect_api__ = "~=1.0"

adapter = Family(
    "spark",
    Rule("spark x 2.5 4|1.7 b base", DEFAULT, kind="base", note="a base model: the chat markers were never trained on"),
    Rule("spark x 2.5 4|1.7 b .", SPARK_X2_5),
)
