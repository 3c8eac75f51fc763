// Applies the theme that was chosen before. Without one the system decides.
try {
  const theme = localStorage.getItem("saga-theme");
  if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
} catch {
  // Storage is disabled: the system decides.
}
