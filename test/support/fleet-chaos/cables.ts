// A network of its own for a member, with cables to this machine that can be pulled one by one. A pulled cable drops every
// packet, and no side gets an error: the member knows the other end's hardware address for ever, because a question for it
// that gets no answer would be reported as "no route to host". It needs root, and a kernel that allows it.

import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { onTestFinished } from "vitest";

export interface Cable {
  /** The address of this machine at its end. */
  readonly host: string;
  readonly pull: () => void;
  readonly plug: () => void;
}

export interface MemberNetwork {
  /** Runs a program in it: the words before its own. */
  readonly inside: readonly string[];
  readonly cables: readonly Cable[];
}

const ip = (...words: string[]): void => void execFileSync("ip", words, { stdio: "pipe" });

/** Throws where it is not possible. It is removed after the test. */
export function newMemberNetwork(cables: number): MemberNetwork {
  const namespace = `saga-${process.pid}`;
  ip("netns", "add", namespace);
  onTestFinished(() => ip("netns", "del", namespace));
  ip("-n", namespace, "link", "set", "lo", "up");
  return {
    inside: ["netns", "exec", namespace],
    cables: Array.from({ length: cables }, (_, at) => newCable(namespace, at)),
  };
}

function newCable(namespace: string, at: number): Cable {
  const [link, end] = [`sg${at}-${process.pid}`.slice(0, 14), `eth${at}`];
  const host = `10.213.${77 + at}.1`;
  ip("link", "add", link, "type", "veth", "peer", "name", end, "netns", namespace);
  ip("addr", "add", `${host}/30`, "dev", link);
  ip("link", "set", link, "up");
  ip("-n", namespace, "addr", "add", `10.213.${77 + at}.2/30`, "dev", end);
  ip("-n", namespace, "link", "set", end, "up");
  const address = readFileSync(`/sys/class/net/${link}/address`, "utf8").trim();
  const neighbour = ["neigh", "replace", host, "lladdr", address, "dev", end, "nud", "permanent"];
  ip("-n", namespace, ...neighbour);
  return {
    host,
    pull: () => ip("link", "set", link, "down"),
    plug: () => ip("link", "set", link, "up"),
  };
}
