// A combobox: the focus stays in the field, the arrow keys move the selection.

import { useDeferredValue, useEffect, useId, useMemo, useRef, useState } from "react";
import { useLocation } from "wouter";
import { useActions } from "../actions/action-provider.tsx";
import { useLive } from "../live/hooks.ts";
import { useModal } from "../parts/dialog.tsx";
import { Icon } from "../parts/icon.tsx";
import { StateMark } from "../parts/state-mark.tsx";
import { paletteItems, textOf, type CurrentPage, type PaletteItem } from "./items.ts";
import { best } from "./match.ts";
import type { SearchAnswer } from "../../protocol/details.ts";
import { fetchJson } from "../live/server.ts";
import { hitItems, MIN_SEARCH_LENGTH } from "./hits.ts";

const MAX_RESULTS = 40;

export function Palette({ onClose }: { onClose: () => void }) {
  const ref = useModal(true);
  const listId = useId();
  const [path] = useLocation();
  const [query, setQuery] = useState("");
  const [chosen, setChosen] = useState(0);
  const items = useItems(path);
  const wanted = useDeferredValue(query);
  const known = useMemo(() => best(wanted, items, textOf, MAX_RESULTS), [wanted, items]);
  const found = useFound(wanted);
  const results = useMemo(() => [...known, ...hitItems(found, known)], [known, found]);
  const choose = useChoose(onClose);
  const optionId = (at: number): string => `${listId}-${at}`;

  const onKey = (event: React.KeyboardEvent): void => {
    const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
    if (step !== 0) {
      event.preventDefault();
      setChosen((at) => (at + step + results.length) % Math.max(1, results.length));
    } else if (event.key === "Enter") {
      event.preventDefault();
      // The list may still show an older text of someone who types fast.
      const current = wanted === query ? results : best(query, items, textOf, MAX_RESULTS);
      const item = current[chosen];
      if (item) choose(item);
    }
  };
  return (
    <dialog
      ref={ref}
      aria-label="Search or run a command"
      onClose={onClose}
      className="mx-auto mt-[12vh] mb-auto w-[calc(100vw-2rem)] max-w-xl overflow-hidden rounded-2xl border border-line bg-surface p-0 shadow-float"
    >
      <div className="flex items-center gap-3 border-b border-line px-4">
        <Icon name="search" className="size-4 text-faint" />
        <input
          role="combobox"
          aria-label="Search stories, tasks, journals, logs and actions"
          aria-expanded="true"
          aria-controls={listId}
          aria-activedescendant={results.length > 0 ? optionId(chosen) : undefined}
          aria-autocomplete="list"
          autoComplete="off"
          spellCheck={false}
          placeholder="Story, task, journal, log or action"
          value={query}
          onChange={(event) => {
            setQuery(event.target.value);
            setChosen(0);
          }}
          onKeyDown={onKey}
          className="h-12 min-w-0 flex-1 bg-transparent outline-none placeholder:text-faint"
        />
      </div>
      <div
        id={listId}
        role="listbox"
        aria-label="Results"
        className="max-h-[50vh] overflow-y-auto p-2"
      >
        {results.map((item, at) => (
          <Option
            key={item.key}
            id={optionId(at)}
            item={item}
            isChosen={at === chosen}
            onChoose={() => choose(item)}
          />
        ))}
      </div>
      {results.length === 0 && (
        <p role="status" className="px-4 pb-5 text-center text-sm text-faint">
          No results.
        </p>
      )}
    </dialog>
  );
}

function Option({
  id,
  item,
  isChosen,
  onChoose,
}: {
  id: string;
  item: PaletteItem;
  isChosen: boolean;
  onChoose: () => void;
}) {
  const ref = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (isChosen) ref.current?.scrollIntoView({ block: "nearest" });
  }, [isChosen]);
  return (
    // The combobox handles the keyboard: options never get the focus.
    // oxlint-disable-next-line jsx-a11y/click-events-have-key-events
    <div
      ref={ref}
      id={id}
      role="option"
      aria-selected={isChosen}
      tabIndex={-1}
      onClick={onChoose}
      className="flex items-center gap-3 rounded-lg px-3 py-2 text-sm hover:bg-hover aria-selected:bg-accent-wash"
    >
      {item.look ? (
        <StateMark look={item.look} />
      ) : (
        <Icon name={item.is === "place" ? "chevron" : "act"} className="size-4 text-faint" />
      )}
      <span className="min-w-0 flex-1 truncate">{item.title}</span>
      <span className="max-w-[45%] truncate font-mono text-xs text-soft">{item.about}</span>
    </div>
  );
}

const NOTHING: SearchAnswer["hits"] = [];
/** A person who still types does not want results yet. */
const SEARCH_AFTER_MS = 200;

/** Descriptions, journals and logs, which only the server has. */
function useFound(query: string): SearchAnswer["hits"] {
  const [found, setFound] = useState({ query: "", hits: NOTHING });
  useEffect(() => {
    if (query.trim().length < MIN_SEARCH_LENGTH) return undefined;
    let isGone = false;
    const timer = setTimeout(() => {
      fetchJson(`/api/search?q=${encodeURIComponent(query.trim())}`).then(
        (answer) => !isGone && setFound({ query, hits: (answer as SearchAnswer).hits }),
        // The rest of the palette works without.
        () => undefined,
      );
    }, SEARCH_AFTER_MS);
    return () => {
      isGone = true;
      clearTimeout(timer);
    };
  }, [query]);
  return found.query === query ? found.hits : NOTHING;
}

/** Read once, when the palette opens: a list that changes while a person chooses is hard to use. */
function useItems(path: string): readonly PaletteItem[] {
  const { store } = useLive();
  return useMemo(() => paletteItems(store.entities(), currentPage(path)), [store, path]);
}

const currentPage = (path: string): CurrentPage =>
  /^\/(?:story\/(?<story>[^/]+)|epic\/(?<epic>[^/]+))/.exec(path)?.groups ?? {};

function useChoose(onClose: () => void): (item: PaletteItem) => void {
  const [, navigate] = useLocation();
  const { ask, start, perform } = useActions();
  return (item) => {
    onClose();
    switch (item.is) {
      case "place":
        return navigate(item.href);
      case "action":
        return start(item.action, item.story);
      case "act":
        return void perform(item.act);
      case "ask":
        return ask(item.question);
    }
  };
}
