import { membershipLease } from "../../../fleet/member/membership.ts";
import type { Fleet } from "../../../fleet/fleet.ts";
import { livenessOf } from "../../../machine/processes/process-id.ts";
import type { CommandResult } from "../../program/command.ts";

/** The process that joined finishes its stories, marks the machine as left, and ends. */
export async function leave({ machine, leases, machines }: Fleet): Promise<CommandResult> {
  const held = await leases.read(membershipLease(machine));
  const isRunning = held?.life === "alive" && livenessOf(held.record) === "alive";
  if (held && isRunning) process.kill(held.record.pid, "SIGTERM");
  const wasJoined = isRunning || (await machines.leave(machine));
  const sentence = isRunning ? "leaves when its stories are finished" : "has left";
  return {
    json: { machine, isDraining: isRunning },
    text: (paint) =>
      wasJoined
        ? `${paint("green", "✓")} ${machine} ${sentence}\n`
        : `${machine} has not joined: it takes no stories\n`,
  };
}
