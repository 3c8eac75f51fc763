// The records of stories that are not merged yet, for early warning: `story/early-warning/open-work.ts`.

import type { OpenWork } from "../../story/early-warning/open-work.ts";

export interface OpenWorks {
  readonly list: () => Promise<readonly OpenWork[]>;
  /** Only by the story's own worker. */
  readonly write: (work: OpenWork) => Promise<void>;
  /** When the story is merged or discarded. */
  readonly drop: (storyId: string) => Promise<void>;
}
