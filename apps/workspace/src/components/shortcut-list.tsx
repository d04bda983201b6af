import { Fragment, type JSX } from 'react'
import type { Shortcut } from './shortcut-groups.ts'
import { shortcutMessages } from '../messages/shortcuts.ts'
import { Kbd } from './kbd.tsx'

/** Keys and their actions, in groups. */
export function ShortcutList({
  groups,
}: {
  readonly groups: readonly { readonly title: string; readonly shortcuts: readonly Shortcut[] }[]
}): JSX.Element {
  return (
    <div className="flex flex-col gap-6">
      {groups.map((group) => (
        <section key={group.title} aria-label={group.title}>
          <h2 className="pb-1 text-heading">{group.title}</h2>
          <dl>
            {group.shortcuts.map((shortcut) => (
              <div
                key={shortcut.does}
                className="flex flex-wrap items-center justify-between gap-x-6 gap-y-1 border-b border-border/60 py-2"
              >
                <dt className="text-body">{shortcut.does}</dt>
                <dd className="flex flex-wrap items-center gap-1.5">
                  {shortcut.keys.map((keys, index) => (
                    <Fragment key={keys}>
                      {index > 0 ? <span className="text-small text-subtle">{shortcutMessages.or}</span> : null}
                      <Keys keys={keys} />
                    </Fragment>
                  ))}
                </dd>
              </div>
            ))}
          </dl>
        </section>
      ))}
    </div>
  )
}

function Keys({ keys }: { readonly keys: string }): JSX.Element {
  return (
    <span className="inline-flex items-center gap-1">
      {keys.split(/[ +](?=.)/).map((key) => (
        <Kbd key={key}>{key}</Kbd>
      ))}
    </span>
  )
}
