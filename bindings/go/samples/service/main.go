// SPDX-License-Identifier: MIT

// Service serves models over HTTP with the REST calls of the Open Inference Protocol:
// service --models FOLDER --address HOST:PORT
//
// It says "listening on HOST:PORT" when it is ready, and ends with 0 after SIGTERM or SIGINT, when
// what is under way has been answered.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log"
	"net"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"
)

const (
	headerLimit   = 5 * time.Second // a client that says nothing for longer is let go
	readLimit     = 30 * time.Second
	writeLimit    = 60 * time.Second
	idleLimit     = 60 * time.Second
	shutdownLimit = 5 * time.Second
)

func main() {
	log.SetFlags(0)
	folder := flag.String("models", "", "the folder of the models")
	address := flag.String("address", "127.0.0.1:0", "where to listen; port 0 is any free one")
	flag.Parse()
	if *folder == "" || flag.NArg() != 0 {
		flag.Usage()
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, os.Interrupt)
	defer stop()
	if err := serve(ctx, *folder, *address); err != nil {
		log.Fatal("service: ", err)
	}
}

func serve(ctx context.Context, folder, address string) error {
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return err
	}
	// Runs end with their requests, and all of them when shutting down takes too long.
	base, giveUp := context.WithCancel(context.Background())
	defer giveUp()
	s := newService()
	server := &http.Server{
		Handler:           s,
		BaseContext:       func(net.Listener) context.Context { return base },
		ReadHeaderTimeout: headerLimit,
		ReadTimeout:       readLimit,
		WriteTimeout:      writeLimit,
		IdleTimeout:       idleLimit,
		ErrorLog:          log.New(os.Stderr, "service: ", 0),
	}
	served := make(chan error, 1)
	go func() { served <- server.Serve(listener) }()
	err = s.load(ctx, folder)
	if err == nil {
		s.ready.Store(true)
		fmt.Println("listening on", listener.Addr())
		select {
		case err = <-served:
		case <-ctx.Done():
		}
	}
	s.ready.Store(false)
	limit, cancel := context.WithTimeout(context.Background(), shutdownLimit)
	defer cancel()
	if late := server.Shutdown(limit); late != nil {
		giveUp()
		_ = server.Close()
	}
	if errors.Is(err, context.Canceled) || errors.Is(err, http.ErrServerClosed) {
		return nil // told to stop while it was loading
	}
	return err
}
