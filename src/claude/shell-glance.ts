// A glance at a shell command: most change nothing that the guard could judge, and a hook script need
// not load it for them. It errs on the side of looking.

/** Streams that lead into each other, or nowhere. */
const HARMLESS = /\d?>&\d|[\d&]?>>? ?\/dev\/null(?![\w/.-])/g;

/** A redirection, a program that the guard knows, or a name that is spelt in a strange way. */
const WORTH_READING =
  />|\\[a-z]|\b(?:rm|rmdir|unlink|mkdir|mkfifo|touch|truncate|tee|sponge|shred|cp|mv|ln|install|rsync|scp|dd|sed|perl|ruby|chmod|chown|chgrp|tar|unzip|patch|curl|wget|git|find|eval)\b/;

export const mayChange = (command: string): boolean =>
  WORTH_READING.test(command.replaceAll(HARMLESS, " "));
