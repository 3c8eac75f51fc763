// The kinds of entries that a command can land, also for other processes.

import { epicKind } from "../../deliver/epic/land-epic.ts";
import { storyKind } from "../../deliver/land-story.ts";
import type { LandingKinds } from "../../landing/landing.ts";
import { taskKind } from "../../pool/result/land-task.ts";

export const landingKinds: LandingKinds = { story: storyKind, epic: epicKind, task: taskKind };
