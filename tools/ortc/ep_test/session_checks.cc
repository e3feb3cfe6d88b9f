// SPDX-License-Identifier: MIT
// Sessions with the library's first provider: what it claims, computes, and outlives.
#include <atomic>
#include <fstream>
#include <mutex>
#include <thread>

#include "tools/ortc/ep_test/check.h"
#include "tools/ortc/ep_test/probe.h"
#include "tools/ortc/output/table.h"

namespace ortc::tool {
namespace {

constexpr int kRuns = 100, kThreads = 8, kSessions = 10;

// A session with the provider, where there is something to ask of one.
template <typename Ask>
Finding with_session(const EpTestArguments& arguments, Ask ask) {
  Probe probe(arguments);
  Session session = probe.session(probe.options().get());
  if (probe.claimed(session.get()) == 0) {
    return not_applicable("the provider takes no node of the model; --model names another");
  }
  return ask(probe, std::move(session));
}

Finding claims(const EpTestArguments& arguments) {
  return with_session(arguments, [](Probe& probe, Session session) {
    return passed(count_text(probe.claimed(session.get()), "node"));
  });
}

Finding computes(const EpTestArguments& arguments) {
  return with_session(arguments, [](Probe& probe, Session session) {
    for (int i = 0; i < kRuns; ++i) {
      const std::string difference = probe.difference(session.get());
      if (!difference.empty()) return failed("run " + std::to_string(i + 1) + ": " + difference);
    }
    return passed(count_text(kRuns, "run"));
  });
}

Finding computes_on_threads(const EpTestArguments& arguments) {
  return with_session(arguments, [](Probe& probe, Session session) {
    std::string first = probe.difference(session.get());
    std::mutex mutex;
    std::vector<std::thread> threads;
    for (int i = 0; i < kThreads; ++i) {
      threads.emplace_back([&] {
        std::string text;
        try {
          for (int run = 0; run < kRuns / 4 && text.empty(); ++run) {
            text = probe.difference(session.get());
          }
        } catch (const ToolError& error) {
          text = error.what();
        }
        const std::lock_guard lock(mutex);
        if (first.empty()) first = text;
      });
    }
    for (std::thread& thread : threads) thread.join();
    if (!first.empty()) return failed(first);
    return passed(count_text(kThreads, "thread") + " on one session");
  });
}

Finding computes_in_the_same_memory(const EpTestArguments& arguments) {
  return with_session(arguments, [](Probe& probe, Session session) {
    const std::string difference = probe.difference_in_place(session.get());
    if (!difference.empty()) return failed(difference);
    return passed("other numbers in the same memory, what was captured is replayed");
  });
}

Finding has_many_sessions(const EpTestArguments& arguments) {
  return with_session(arguments, [](Probe& probe, Session first) {
    std::vector<Session> sessions;
    sessions.push_back(std::move(first));
    for (int i = 1; i < kSessions; ++i) sessions.push_back(probe.session(probe.options().get()));
    // Every second goes first.
    for (int i = 0; i < kSessions; i += 2) sessions[static_cast<size_t>(i)].reset();
    for (int i = 1; i < kSessions; i += 2) {
      const std::string difference = probe.difference(sessions[static_cast<size_t>(i)].get());
      if (!difference.empty()) return failed(difference);
    }
    return passed(count_text(kSessions, "session") + " at once");
  });
}

Finding outlives_its_registration(const EpTestArguments& arguments) {
  return with_session(arguments, [](Probe& probe, Session session) {
    const std::string before = probe.difference(session.get());
    probe.unregister();
    const std::string after = probe.difference(session.get());
    if (!before.empty() || !after.empty()) return failed(before.empty() ? after : before);
    return passed("the session runs on");
  });
}

Finding answers_an_unknown_option(const EpTestArguments& arguments) {
  EpTestArguments with_option = arguments;
  with_option.provider_options.emplace_back("an_option_that_nobody_has", "\xC3\xA4");
  try {
    return with_session(with_option, [](Probe& probe, Session session) {
      const std::string difference = probe.difference(session.get());
      return difference.empty() ? passed("it is ignored") : failed(difference);
    });
  } catch (const ToolError& error) {
    return passed(std::string("it is refused: ") + error.what());
  }
}

// How many events of a profile are the provider's own: those of kernels and of its functions.
size_t own_events(const std::string& path) {
  std::ifstream file(path);
  size_t count = 0;
  for (std::string line; std::getline(file, line);) {
    const bool is_own =
        line.find("\"cat\":\"Kernel\"") != line.npos || line.find("\"cat\":\"Api\"") != line.npos;
    if (is_own) ++count;
  }
  return count;
}

Finding runs_in_a_profile(const EpTestArguments& arguments, const std::string& scratch) {
  const Probe probe(arguments);
  const SessionOptions options = probe.options();
  const std::string prefix = scratch + "/profile";
  check(OrtEnableProfiling(options.get(), prefix.c_str()));
  const Session session = probe.session(options.get());
  const std::string difference = probe.difference(session.get());
  OrtAllocator* allocator = nullptr;
  char* name = nullptr;
  check(OrtGetAllocatorWithDefaultOptions(&allocator));
  check(OrtSessionEndProfiling(session.get(), allocator, &name));
  const size_t count = own_events(take_text(name));
  if (!difference.empty()) return failed(difference);
  return passed(count_text(count, "event") + " of its own");
}

}  // namespace

std::vector<Check> session_checks(const EpTestArguments& arguments, const std::string& scratch) {
  const auto check = [&](const char* name, Finding (*ask)(const EpTestArguments&)) {
    return Check{"sessions", name, [&arguments, ask] { return ask(arguments); }};
  };
  return {check("claims nodes", claims),
          check("computes what the CPU provider computes", computes),
          check("computes it on several threads at once", computes_on_threads),
          check("computes in the same memory again", computes_in_the_same_memory),
          check("has several sessions", has_many_sessions),
          check("lives as long as its sessions", outlives_its_registration),
          check("answers an option that it does not know", answers_an_unknown_option),
          Check{"sessions", "runs in a profile",
                [&arguments, scratch] { return runs_in_a_profile(arguments, scratch); }}};
}

}  // namespace ortc::tool
