// SPDX-License-Identifier: MIT
// Options first and last, as getopt takes them; lists of "key|value" with blanks between.
#include "tools/ep_weight_sharing_ctx_gen/command_line.h"

#include <getopt.h>

#include <sstream>

#include "ort_c/config_keys.h"
#include "tools/ep_weight_sharing_ctx_gen/texts.h"

namespace ortc::sharing_tool {
namespace {

constexpr int kMan = 1000;
const option kLongOptions[] = {
    {"help", no_argument, nullptr, 'h'}, {"man", no_argument, nullptr, kMan}, {}};

Pairs pairs_of(char letter, const std::string& list) {
  Pairs pairs;
  std::istringstream words(list);
  for (std::string word; words >> word;) {
    const size_t bar = word.find('|');
    if (bar == std::string::npos || bar == 0 || bar + 1 == word.size()) {
      throw BadArguments(std::string("-") + letter + " needs \"key|value key|value\", found '" +
                         word + "'");
    }
    const std::string key = word.substr(0, bar);
    for (const auto& [known, value] : pairs) {
      if (known == key) throw BadArguments(std::string("-") + letter + " has '" + key + "' twice");
    }
    pairs.emplace_back(key, word.substr(bar + 1));
  }
  if (pairs.empty()) throw BadArguments(std::string("-") + letter + " needs \"key|value\"");
  return pairs;
}

// What the tool is for cannot be switched off.
void take_config(const Pairs& config, CommandLine& line) {
  const Pairs fixed = {{kOrtSessionOptionEpContextEnable, "1"},
                       {kOrtSessionOptionEpContextEmbedMode, "0"},
                       {kOrtSessionOptionShareEpContexts, "1"}};
  for (const auto& [key, value] : config) {
    for (const auto& [name, needed] : fixed) {
      if (key == name && value != needed) {
        throw BadArguments("models that share their weights need " + key + "=" + needed +
                           ", found '" + value + "'");
      }
    }
    if (key == kOrtSessionOptionStopShareEpContexts) {
      throw BadArguments(key + " is for the last model, and set by this tool");
    }
    if (key == kOrtSessionOptionEpContextFilePath) {
      line.has_context_path = true;
    } else {
      line.config.emplace_back(key, value);
    }
  }
}

std::vector<std::string> models_of(const std::string& list) {
  std::vector<std::string> models;
  std::istringstream words(list);
  for (std::string word; std::getline(words, word, ',');) models.push_back(word);
  for (const std::string& model : models) {
    if (model.empty()) throw BadArguments("a model without a name in '" + list + "'");
  }
  return models;
}

std::string unknown_option(int argc, char** argv) {
  const std::string word = optind > 0 && optind <= argc ? argv[optind - 1] : "";
  if (optopt == 0 || optopt >= kMan) return "there is no option '" + word + "'";
  const char letter = static_cast<char>(optopt);
  return std::string(letter == 'e' || letter == 'p' || letter == 'i' || letter == 'C'
                         ? "no value after -"
                         : "there is no option -") +
         letter;
}

}  // namespace

CommandLine parse_command_line(int argc, char** argv) {
  CommandLine line;
  opterr = 0;
  for (int letter = 0;
       (letter = getopt_long(argc, argv, "e:p:i:C:vh", kLongOptions, nullptr)) != -1;) {
    switch (letter) {
      case 'e':
        line.provider = optarg;
        break;
      case 'p':
        line.plugin_file = optarg;
        break;
      case 'i':
        line.provider_options = pairs_of('i', optarg);
        break;
      case 'C':
        take_config(pairs_of('C', optarg), line);
        break;
      case 'v':
        line.verbose = true;
        break;
      case 'h':
        line.text = help_text();
        return line;
      case kMan:
        line.text = man_text();
        return line;
      default:
        throw BadArguments(unknown_option(argc, argv));
    }
  }
  if (optind == argc) throw BadArguments("no models given");
  if (optind + 1 < argc) {
    throw BadArguments(std::string("one argument too many, '") + argv[optind + 1] +
                       "'; models are one list with commas between");
  }
  line.models = models_of(argv[optind]);
  if (line.models.empty()) throw BadArguments("no models given");
  return line;
}

}  // namespace ortc::sharing_tool
