import type { JSX } from 'react'

/** A text whose parts between backticks are code. */
export function CodeText({ children }: { readonly children: string }): JSX.Element {
  return (
    <>
      {children.split('`').map((part, index) =>
        index % 2 === 0 ? (
          part
        ) : (
          // oxlint-disable-next-line react/no-array-index-key -- the parts of one text never move
          <code key={index} className="rounded-sm bg-sunken px-1 font-mono text-mono">
            {part}
          </code>
        ),
      )}
    </>
  )
}
