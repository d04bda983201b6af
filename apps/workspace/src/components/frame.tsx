import type { JSX, ReactNode } from 'react'
import { Logo } from './logo.tsx'

/** The app's frame before its content: top, side and bottom bar as in the shell. `index.html` has the same before the first script. */
export function Frame({
  name,
  isBusy = true,
  children,
}: {
  /** Name of the project, if known. */
  readonly name?: string | undefined
  readonly isBusy?: boolean
  /** Replaces the screen. */
  readonly children?: ReactNode
}): JSX.Element {
  return (
    <div className="flex h-full flex-col">
      <header className="flex h-12 shrink-0 items-center gap-2 border-b border-border bg-surface px-3.5 coarse:h-14">
        <span className="flex text-accent">
          <Logo size={20} />
        </span>
        <span className="max-w-40 truncate text-body font-semibold text-text">{name}</span>
      </header>
      <div className="flex min-h-0 flex-1">
        <div aria-hidden className="hidden w-60 shrink-0 border-r border-border bg-surface laptop:block" />
        <main id="content" aria-busy={isBusy} className="min-w-0 flex-1 overflow-auto bg-bg">
          {children}
        </main>
      </div>
      <div aria-hidden className="h-14 shrink-0 border-t border-border bg-surface tablet:hidden" />
    </div>
  )
}

/** The frame for a signed-in user before their identity is known. */
export function FirstFrame(): JSX.Element {
  return document.documentElement.dataset['session'] === undefined ? (
    <div aria-busy="true" className="h-full bg-bg" />
  ) : (
    <Frame />
  )
}
