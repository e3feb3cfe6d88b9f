// SPDX-License-Identifier: MIT

//go:build go1.21

package ortc

import (
	"context"
	"log/slog"
)

// SlogLogger hands log lines to a logger of log/slog, for WithLogger. Verbose is Debug, Fatal is
// Error; category, id and place become attributes. From Go 1.21 on.
func SlogLogger(logger *slog.Logger) Logger {
	return func(record Record) {
		level := slog.LevelError
		switch record.Severity {
		case LoggingLevelVerbose:
			level = slog.LevelDebug
		case LoggingLevelInfo:
			level = slog.LevelInfo
		case LoggingLevelWarning:
			level = slog.LevelWarn
		}
		logger.LogAttrs(context.Background(), level, record.Message,
			slog.String("category", record.Category), slog.String("id", record.ID),
			slog.String("location", record.Location))
	}
}
