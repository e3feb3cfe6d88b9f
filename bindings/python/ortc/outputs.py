# SPDX-License-Identifier: MIT
"""What a run gives."""

from typing import Any, Iterator, List, Mapping, Sequence

from ortc.value import OrtValue


class Outputs(Mapping[str, Any]):
    """The outputs of a run by their names: `outputs["y"]` is an array over the output's memory, a
    list of a sequence, a dict of a map. `value("y")` is the OrtValue itself."""

    __slots__ = ("_names", "_values")

    def __init__(self, names: Sequence[str], values: Sequence[OrtValue]):
        self._names = names
        self._values = values

    def value(self, name: str) -> OrtValue:
        """The output itself."""
        try:
            return self._values[self._names.index(name)]
        except ValueError:
            raise KeyError(f"there is no output {name!r} among {', '.join(self._names)}") from None

    def ortvalues(self) -> List[OrtValue]:
        """All outputs, in the order in which they were asked for."""
        return list(self._values)

    def __getitem__(self, name: str) -> Any:
        return self.value(name).numpy()

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)

    def __repr__(self) -> str:
        pairs = zip(self._names, self._values)
        return "Outputs(" + ", ".join(f"{name}: {value!r}" for name, value in pairs) + ")"
