// SPDX-License-Identifier: MIT

//go:build !race

package tests

// detectsRaces says whether the tests run with -race.
const detectsRaces = false
