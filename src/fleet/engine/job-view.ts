// A job as people and pages see it. Pure.

import type { JobWithMetadata } from "pg-boss";
import type { ParkReason } from "../../story/state/fleet-work.ts";
import type { FleetJob } from "../backlog/job.ts";
import { parkReasonIn } from "./park-reason.ts";

export type JobState = "waiting" | "queued" | "active" | "parked" | "done";

export interface JobView {
  readonly id: string;
  readonly story: string;
  readonly epic: string | undefined;
  readonly merge: boolean;
  readonly state: JobState;
  /** Of a parked one. */
  readonly parked: ParkReason | undefined;
  readonly attempts: number;
  readonly queuedAt: string;
  readonly endedAt: string | undefined;
}

const STATES: Readonly<Record<JobWithMetadata["state"], JobState>> = {
  created: "queued",
  retry: "queued",
  active: "active",
  completed: "done",
  cancelled: "parked",
  failed: "parked",
};

export const viewOf = ({
  id,
  data,
  state,
  output,
  blocked,
  retryCount,
  createdOn,
  completedOn,
}: JobWithMetadata<FleetJob>): JobView => ({
  id,
  story: data.story,
  epic: data.epic,
  merge: data.merge,
  state: blocked && state === "created" ? "waiting" : STATES[state],
  parked: STATES[state] === "parked" ? parkReasonIn(output) : undefined,
  attempts: retryCount + 1,
  queuedAt: createdOn.toISOString(),
  endedAt: completedOn?.toISOString(),
});
