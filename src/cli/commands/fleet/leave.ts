import { membershipLease } from "../../../fleet/member/membership.ts";
import type { Fleet } from "../../../fleet/fleet.ts";
import { livenessOf } from "../../../machine/processes/process-id.ts";
import type { CommandResult } from "../../program/command.ts";

/** The process that joined finishes its stories, marks the machine as left, and ends. */
export async function leave({ machine, leases, machines }: Fleet): Promise<CommandResult> {
  const held = await leases.read(membershipLease(machine));
  const isRunning = held?.life === "alive" && livenessOf(held.record) === "alive";
  if (held && isRunning) process.kill(held.record.pid, "SIGTERM");
  else await machines.leave(machine);
  return {
    json: { machine, isDraining: isRunning },
    text: (paint) =>
      isRunning
        ? `${paint("green", "✓")} ${machine} leaves when its stories are finished\n`
        : `${paint("green", "✓")} ${machine} has left\n`,
  };
}
