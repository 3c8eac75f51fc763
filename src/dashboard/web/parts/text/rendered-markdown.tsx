import { memo } from "react";
import ReactMarkdown, { type Components } from "react-markdown";
import remarkGfm from "remark-gfm";

const plugins = [remarkGfm];

/** The library makes addresses safe: `javascript:` and similar become empty. */
const components: Components = {
  a: ({ href, children }) => {
    if (!href) return <span>{children}</span>;
    return (
      <a href={href} target="_blank" rel="noreferrer">
        {children}
      </a>
    );
  },
  // A remote image would tell its server who reads this.
  img: ({ alt, src }) => <span>[{alt ?? (typeof src === "string" ? src : "image")}]</span>,
  // Authors start with a level 1 heading; on this page it is below others.
  h1: ({ children }) => <h3>{children}</h3>,
  h2: ({ children }) => <h4>{children}</h4>,
  h3: ({ children }) => <h5>{children}</h5>,
  pre: ({ children }) => <pre tabIndex={0}>{children}</pre>,
};

export const RenderedMarkdown = memo(({ text }: { text: string }) => (
  <div className="prose">
    <ReactMarkdown remarkPlugins={plugins} components={components}>
      {text}
    </ReactMarkdown>
  </div>
));
