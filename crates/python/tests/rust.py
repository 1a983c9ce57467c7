"""Rust code as a library, which tests and the benchmark call."""

import ctypes
import json
import pathlib
import subprocess

ROOT = pathlib.Path(__file__).parents[3]


def library(example):
    """Builds an example of `setwise-check` and loads it."""
    build = ["cargo", "build", "-q", "--release", "-p", "setwise-check", "--example", example]
    build += ["--message-format", "json"]
    output = subprocess.run(build, cwd=ROOT, stdout=subprocess.PIPE, check=True, text=True).stdout
    messages = [json.loads(line) for line in output.splitlines()]
    [artifact] = [m for m in messages if m.get("target", {}).get("name") == example]
    return ctypes.CDLL(artifact["filenames"][0])
