import type { JSX, ReactNode } from 'react'
import { Logo } from '@holdfast/workspace'

/** The card of the screens before sign-in. */
export function EntryFrame({
  title,
  projectName,
  children,
}: {
  readonly title: string
  readonly projectName: string
  readonly children: ReactNode
}): JSX.Element {
  return (
    <main className="flex min-h-full items-center justify-center bg-surface p-4">
      <div className="flex w-full max-w-sm flex-col gap-4 rounded-lg border border-border bg-raised p-6">
        <div className="flex items-center gap-2 text-small text-muted">
          <span className="flex text-accent">
            <Logo size={20} />
          </span>
          {projectName} · Console
        </div>
        <h1 tabIndex={-1} className="text-display">
          {title}
        </h1>
        {children}
      </div>
    </main>
  )
}
