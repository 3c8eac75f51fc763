// Light, dark or system. `public/theme.js` applies the choice before the first paint.

import { useState } from "react";

export const THEMES = ["system", "light", "dark"] as const;
export type Theme = (typeof THEMES)[number];

const KEY = "saga-theme";

export function useTheme(): readonly [Theme, (theme: Theme) => void] {
  const [theme, setTheme] = useState(readTheme);
  const choose = (next: Theme): void => {
    if (next === "system") delete document.documentElement.dataset["theme"];
    else document.documentElement.dataset["theme"] = next;
    try {
      if (next === "system") localStorage.removeItem(KEY);
      else localStorage.setItem(KEY, next);
    } catch {
      // Storage is disabled: the choice lasts until the page is closed.
    }
    setTheme(next);
  };
  return [theme, choose];
}

function readTheme(): Theme {
  const now = document.documentElement.dataset["theme"];
  return THEMES.find((theme) => theme === now) ?? "system";
}
