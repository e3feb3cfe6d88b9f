# SPDX-License-Identifier: MIT
"""What the modules above share: ownership, callbacks, interrupts, the way of a run."""
