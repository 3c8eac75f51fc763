// The buttons for what can be done about a story; what is seldom wanted is in a menu.

import { DropdownMenu } from "radix-ui";
import { useState } from "react";
import type { StoryCard } from "../../protocol/messages.ts";
import { useFeed } from "../live/hooks.ts";
import { Button } from "../parts/button.tsx";
import { Icon } from "../parts/icon.tsx";
import { ACTION_WORDS, isPlain, type StoryAction } from "../words/actions.ts";
import { actionsOf, isInMenu } from "../words/actions-of.ts";
import { useActing } from "./acting.tsx";

/** As many as fit beside a title. */
const MOST_BUTTONS = 3;
const NONE: readonly StoryAction[] = [];

export function StoryActions({
  story,
  without = NONE,
  most = MOST_BUTTONS,
}: {
  story: StoryCard;
  most?: number;
  without?: readonly StoryAction[];
}) {
  const { begin, perform } = useActing();
  const [busy, setBusy] = useState<StoryAction>();
  const isOffline = useFeed() !== "live";
  const actions = actionsOf(story).filter((action) => !without.includes(action));
  if (actions.length === 0) return null;
  const start = async (action: StoryAction): Promise<void> => {
    if (!isPlain(action)) return begin(action, story.id);
    setBusy(action);
    await perform({ act: action, story: story.id });
    setBusy(undefined);
  };
  const buttons = actions.filter((action) => !isInMenu(action)).slice(0, most);
  const inMenu = actions.filter((action) => !buttons.includes(action));
  return (
    <div className="flex flex-wrap items-center gap-2">
      {buttons.map((action, at) => (
        <Button
          key={action}
          look={action === "discard" ? "danger" : at === 0 && action !== "stop" ? "main" : "plain"}
          isBusy={busy === action}
          disabled={isOffline}
          onClick={() => void start(action)}
        >
          {ACTION_WORDS[action]}
        </Button>
      ))}
      {inMenu.length > 0 && (
        <ActionMenu actions={inMenu} isDisabled={isOffline} onChoose={(one) => void start(one)} />
      )}
    </div>
  );
}

function ActionMenu({
  actions,
  isDisabled,
  onChoose,
}: {
  actions: readonly StoryAction[];
  isDisabled: boolean;
  onChoose: (action: StoryAction) => void;
}) {
  return (
    // Not modal: the rest stays within reach, and no style has to be written into the page.
    <DropdownMenu.Root modal={false}>
      <DropdownMenu.Trigger asChild>
        <Button className="w-8 px-0" aria-label="More actions" disabled={isDisabled}>
          <Icon name="more" />
        </Button>
      </DropdownMenu.Trigger>
      <DropdownMenu.Portal>
        <DropdownMenu.Content
          align="end"
          sideOffset={6}
          className="z-30 min-w-40 rounded-xl border border-line bg-surface p-1 shadow-float"
        >
          {actions.map((action) => (
            <DropdownMenu.Item
              key={action}
              onSelect={() => onChoose(action)}
              className={`cursor-pointer rounded-lg px-3 py-1.5 text-sm outline-none data-highlighted:bg-hover ${action === "discard" || action === "remove" ? "text-bad" : ""}`}
            >
              {ACTION_WORDS[action]}
            </DropdownMenu.Item>
          ))}
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  );
}
