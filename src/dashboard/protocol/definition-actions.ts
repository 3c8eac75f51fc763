// What a person can create and change in the page. Types only.

/** A missing field has its default. `blockedBy`: stories of the same epic. */
export interface CreateStory {
  readonly act: "new-story";
  readonly id: string;
  readonly epic?: string;
  readonly title?: string;
  readonly description: string;
  readonly guidance?: string;
  readonly doneWhen?: string;
  readonly avoid?: string;
  readonly checks?: readonly string[];
  readonly writeFiles?: readonly string[];
  readonly labels?: readonly string[];
  readonly blockedBy?: readonly string[];
  readonly priority?: number;
  readonly needsTesting?: boolean;
  readonly needsReview?: boolean;
}

/** `blockedBy`: tasks of the same story. */
export interface CreateTask {
  readonly act: "new-task";
  readonly story: string;
  readonly id: string;
  readonly subject?: string;
  readonly description: string;
  readonly guidance?: string;
  readonly doneWhen?: string;
  readonly checks?: readonly string[];
  readonly writeFiles?: readonly string[];
  readonly blockedBy?: readonly string[];
}

export interface CreateEpic {
  readonly act: "new-epic";
  readonly id: string;
  readonly title?: string;
  readonly description: string;
}

export type DefinitionKind = "story" | "epic" | "task";

/** Only the given fields change. A field without a value is removed from the file. */
export interface EditDefinition {
  readonly act: "edit";
  readonly kind: DefinitionKind;
  /** A task's is `<story>/<task>`. */
  readonly id: string;
  readonly set: readonly FieldChange[];
}

export interface FieldChange {
  /** As in the file: `doneWhen`. */
  readonly field: string;
  readonly value?: FieldValue;
}
export type FieldValue = string | number | boolean | readonly string[];

export type DefinitionAction =
  | CreateStory
  | CreateTask
  | CreateEpic
  | EditDefinition
  | { readonly act: "unarchive"; readonly story: string }
  | { readonly act: "remove-task"; readonly story: string; readonly task: string }
  /** `keepStories`: the person knows that its stories stay, without an epic. */
  | { readonly act: "remove-epic"; readonly epic: string; readonly keepStories?: boolean };
