// The buttons for the actions of a story, with a menu for the rare ones.

import { DropdownMenu } from "radix-ui";
import { useState } from "react";
import type { StoryCard } from "../../protocol/messages.ts";
import { useIsOffline } from "../live/hooks.ts";
import { Button } from "../parts/button.tsx";
import { Icon } from "../parts/icon.tsx";
import { Menu } from "../parts/menu.tsx";
import { ACTION_WORDS, isImmediate, type StoryAction } from "../words/actions.ts";
import { offeredActions, isInMenu } from "../words/offered-actions.ts";
import { useActions } from "./action-provider.tsx";

const MAX_BUTTONS = 3;
const NONE: readonly StoryAction[] = [];

export function StoryActions({
  story,
  without = NONE,
  most = MAX_BUTTONS,
}: {
  story: StoryCard;
  most?: number;
  without?: readonly StoryAction[];
}) {
  const { start, perform } = useActions();
  const [busy, setBusy] = useState<StoryAction>();
  const isOffline = useIsOffline();
  const actions = offeredActions(story).filter((action) => !without.includes(action));
  if (actions.length === 0) return null;
  const run = async (action: StoryAction): Promise<void> => {
    if (!isImmediate(action)) return start(action, story.id);
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
          onClick={() => void run(action)}
        >
          {ACTION_WORDS[action]}
        </Button>
      ))}
      {inMenu.length > 0 && (
        <ActionMenu actions={inMenu} isDisabled={isOffline} onChoose={(one) => void run(one)} />
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
    <Menu
      trigger={
        <DropdownMenu.Trigger asChild>
          <Button className="w-8 px-0" aria-label="More actions" disabled={isDisabled}>
            <Icon name="more" />
          </Button>
        </DropdownMenu.Trigger>
      }
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
    </Menu>
  );
}
