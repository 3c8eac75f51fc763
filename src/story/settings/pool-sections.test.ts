import { parse } from "smol-toml";
import { expect, it } from "vitest";
import { configSchema } from "./settings.ts";

it.each([
  ["a list id that Claude Code would change", '[auto]\ntask_list_id = "a.b"'],
  ["a relative folder of lists", '[auto]\ntasks_root = "tasks"'],
  ["a context file outside the project", '[auto]\ncontext_config_path = "../context.toml"'],
  ["a pool without workers", "[auto]\nworkers = 0"],
  ["an empty check of the pool", '[auto]\nchecks = [" "]'],
  ["a target that is not a branch name", '[auto]\ntarget = "a..b"'],
  ["a hang limit below the heartbeat", "[auto]\nhang_seconds = 5"],
  ["an empty command", '[notices]\ncommand = ""'],
  ["a variable with its value for the webhook", '[notices]\nwebhook_env = "HOOK=x"'],
  ["a webhook without encryption", '[notices]\nwebhook = "http://a.example/"'],
  ["a webhook of another kind", '[notices]\nwebhook = "file:///etc/passwd"'],
  [
    "a webhook that is a secret, in a file that is in git",
    '[notices]\nwebhook = "https://hooks.slack.com/services/T0/B0/x"',
  ],
  ["an unknown kind of notification", '[notices]\non = ["running"]'],
])("the settings of the pool and of notifications refuse %s", (_, toml) => {
  expect(configSchema.safeParse(parse(toml)).success).toBe(false);
});
