import type { JSX } from 'react'
import { cx } from '../../lib/cx.ts'
import { textMessages as words } from '../../messages/texts.ts'

interface Version {
  readonly title: string
  readonly text: string
}

/** Two versions of a text side by side, or stacked if narrow; differing lines are marked. */
export function TextVersions({ mine, theirs }: { readonly mine: Version; readonly theirs: Version }): JSX.Element {
  return (
    <div className="grid gap-3 tablet:grid-cols-2">
      <Pane {...mine} other={theirs.text} />
      <Pane {...theirs} other={mine.text} />
    </div>
  )
}

function Pane({ title, text, other }: Version & { readonly other: string }): JSX.Element {
  const shared = new Set(other.split('\n'))
  return (
    <figure className="flex min-w-0 flex-col overflow-hidden rounded-md border border-border">
      <figcaption className="border-b border-border bg-surface px-3 py-1.5 text-small font-medium text-muted">
        {title}
      </figcaption>
      {/* Long texts scroll, including by keyboard. */}
      <div
        tabIndex={0}
        role="group"
        aria-label={title}
        className="focus-inset max-h-72 overflow-y-auto py-1.5 text-body"
      >
        {text === '' ? <p className="px-3 text-muted">{words.empty}</p> : null}
        {text === ''
          ? null
          : text.split('\n').map((line, at) => {
              const isOwn = !shared.has(line)
              return (
                // oxlint-disable-next-line react/no-array-index-key -- lines are identified by position
                <p
                  key={at}
                  className={cx(
                    'min-h-5 border-l-2 px-2.5 [overflow-wrap:anywhere] whitespace-pre-wrap',
                    isOwn ? 'border-warning bg-warning-soft' : 'border-transparent',
                  )}
                >
                  {isOwn ? <mark className="bg-transparent text-inherit">{line}</mark> : line}
                </p>
              )
            })}
      </div>
    </figure>
  )
}
