import { Icon, type IconName } from "../parts/icon.tsx";
import { writeStored } from "./browser-storage.ts";
import { useState } from "react";

const LOOKS: Readonly<Record<Theme, { icon: IconName; word: string }>> = {
  system: { icon: "system", word: "system" },
  light: { icon: "sun", word: "light" },
  dark: { icon: "moon", word: "dark" },
};

export function ThemeSwitch() {
  const [theme, choose] = useTheme();
  const next = THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length] ?? "system";
  const label = `Theme: ${LOOKS[theme].word}. Switch to ${LOOKS[next].word}`;
  return (
    <button
      type="button"
      aria-label={label}
      title={label}
      onClick={() => choose(next)}
      className="inline-flex size-8 items-center justify-center rounded-lg text-faint hover:bg-hover hover:text-ink"
    >
      <Icon name={LOOKS[theme].icon} />
    </button>
  );
}

const THEMES = ["system", "light", "dark"] as const;
type Theme = (typeof THEMES)[number];

const KEY = "saga-theme";

function useTheme(): readonly [Theme, (theme: Theme) => void] {
  const [theme, setTheme] = useState(readTheme);
  const choose = (next: Theme): void => {
    if (next === "system") delete document.documentElement.dataset["theme"];
    else document.documentElement.dataset["theme"] = next;
    writeStored(KEY, next === "system" ? null : next);
    setTheme(next);
  };
  return [theme, choose];
}

function readTheme(): Theme {
  const now = document.documentElement.dataset["theme"];
  return THEMES.find((theme) => theme === now) ?? "system";
}
