// SPDX-License-Identifier: MIT

package ortc

import (
	"errors"
	"testing"
)

func TestLibraryMustFitTheHeaders(t *testing.T) {
	for _, c := range []struct {
		library string
		fits    bool
	}{{"1.2.0", true}, {"1.3.9", true}, {"1.1.9", false}, {"2.2.0", false}, {"0.9.0", false},
		{"nonsense", false}, {"", false}} {
		err := checkVersion(c.library, "1.2.0")
		if (err == nil) != c.fits {
			t.Errorf("library %q: %v", c.library, err)
		}
		var version *VersionError
		if err != nil && (!errors.As(err, &version) || version.Library != c.library) {
			t.Errorf("library %q: %v is not a *VersionError", c.library, err)
		}
	}
}
