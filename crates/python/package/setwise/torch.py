"""Batches of binpack files as tensors of PyTorch. Needs torch."""

from typing import Any

try:
    import torch
except ImportError as error:
    raise ImportError("setwise.torch needs PyTorch: pip install torch") from error

from . import _setwise
from .loader import Loader

__all__ = ["Dataset"]


class Dataset(torch.utils.data.IterableDataset):  # type: ignore[misc]
    """The batches of a `setwise.Loader` with these arguments, as dictionaries of tensors.

        dataset = setwise.torch.Dataset(
            paths, threads=4, mix=True, shuffle=1_000_000, filter=setwise.loader.STOCKFISH,
            features="Full_Threats+PP_3Wide+HalfKAv2_hm", layout="rows", views="colours",
            columns=["is_white", "outcome", "float_score", "piece_count"])
        for batch in torch.utils.data.DataLoader(dataset, batch_size=None, num_workers=0):
            ...

    * The loader has its own threads: give their number as `threads`, and leave `num_workers` 0.
      Workers would copy every batch. They raise an error.
    * Tensors are the memory of the batch, and nothing is copied. When all of its tensors are freed,
      a later batch uses it. Do not change indices in place: only those that were active are
      replaced by padding.
    * Unsigned columns of 16 and 32 bits have the signed type with the same bits, because PyTorch
      has few operations for the others.
    * Each iteration is the next pass: it has another order. `epoch` is the number of the next one.
    * No batch at all, as of empty files, is an error.
    * If torch.distributed is initialised, each process reads its own shard, unless `shard` is
      given. That needs `cycle=True`, and `limit` for the number of batches of a pass: otherwise
      processes would have different numbers of batches, and wait for each other for good.
    * `state_dict()` says how far the last iteration got, and `load_state_dict` goes on there.
    """

    def __init__(self, paths: Any, *arguments: Any, **named: Any) -> None:
        super().__init__()
        #: What to load. Its attributes may be changed between iterations.
        self.loader = Loader(paths, *arguments, **named)
        self.epoch = self.loader.epoch
        self._resume = self.loader.resume
        self._state = {"epoch": self.epoch, "resume": self._resume}

    def __iter__(self) -> Any:
        if torch.utils.data.get_worker_info() is not None:
            raise RuntimeError("setwise.torch has threads of its own: use num_workers=0, threads=N")
        settings = {**self.loader._settings(), "writable": True}
        distributed = torch.distributed
        if distributed.is_available() and distributed.is_initialized():
            processes = distributed.get_world_size()
            if processes > 1 and not settings["cycle"]:
                raise ValueError("processes need cycle=True, to have the same number of batches")
            if settings["shard"] == (0, 1):
                settings["shard"] = distributed.get_rank(), processes
        settings["epoch"], settings["resume"] = self.epoch, self._resume
        # If this fails, the next iteration is still this one.
        batches = _setwise._Batches(settings)
        state = self._state = {"epoch": self.epoch, "resume": self._resume}
        self.epoch, self._resume = self.epoch + 1, 0
        return self._batches(batches, settings, state)

    def _batches(self, batches: Any, settings: dict[str, Any], state: dict[str, int]) -> Any:
        is_empty = True
        for batch in batches:
            state["resume"], is_empty = batches.taken, False
            yield {name: _tensor(array) for name, array in batch.items()}
        if is_empty and settings["resume"] == 0 and settings["limit"] != 0:
            entries = batches.statistics["entries"]
            raise ValueError(f"there is no batch: {entries} entries were read, and none is left")
        state.update(epoch=settings["epoch"] + 1, resume=0)

    def state_dict(self) -> dict[str, int]:
        """The pass of the last iteration, and the number of its batches so far."""
        return dict(self._state)

    def load_state_dict(self, state: dict[str, int]) -> None:
        """Makes the next iteration go on where another one was."""
        self.epoch, self._resume = state["epoch"], state["resume"]
        self._state = dict(state)


def _tensor(array: Any) -> "torch.Tensor":
    if array.dtype.kind == "u" and array.itemsize > 1:
        if array.itemsize == 4 and array.size and array[-1] >= 2**31:
            raise ValueError("a batch has 2^31 indices or more: use a smaller batch_size")
        array = array.view(f"i{array.itemsize}")
    return torch.from_numpy(array)
