// Style sheets are imported for what they do; the bundler knows how.
declare module "*.css";
