import { CloudOff } from 'lucide-react'
import type { JSX, ReactNode } from 'react'
import { errorMessages as words } from '../messages/errors.ts'
import { Logo } from './logo.tsx'
import { useDocumentTitle } from './page.tsx'

/** A screen outside the workspace: project, purpose, and a card with the next step. */
export function EntryPage({
  project,
  title,
  lead,
  offline,
  notice,
  children,
  below,
}: {
  readonly project: string
  /** The screen's `h1`. */
  readonly title: string
  readonly lead?: ReactNode
  /** Message while offline; `undefined` while online. */
  readonly offline?: string | undefined
  readonly notice?: ReactNode
  /** Content of the card. */
  readonly children: ReactNode
  readonly below?: ReactNode
}): JSX.Element {
  useDocumentTitle(title)
  return (
    <main id="content" className="flex min-h-full flex-col items-center bg-surface px-4 py-10 tablet:justify-center">
      <div className="flex w-full max-w-[25rem] flex-col gap-6">
        <header className="flex flex-col items-center gap-3 text-center">
          <span className="flex text-accent">
            <Logo size={36} />
          </span>
          <div className="flex flex-col gap-1">
            <p className="text-body font-medium text-muted">{project}</p>
            <h1 tabIndex={-1} className="text-display">
              {title}
            </h1>
            {lead === undefined ? null : <p className="text-body text-muted [overflow-wrap:anywhere]">{lead}</p>}
          </div>
        </header>
        {notice}
        {offline === undefined ? null : (
          <div role="status" className="flex items-start gap-3 rounded-lg bg-warning-soft px-4 py-3 text-warning">
            <CloudOff size={18} aria-hidden className="mt-0.5" />
            <div>
              <p className="font-medium">{words.offline}</p>
              <p className="text-text">{offline}</p>
            </div>
          </div>
        )}
        <section
          aria-label={title}
          className="flex flex-col gap-4 rounded-lg border border-border bg-raised p-5 tablet:p-6"
        >
          {children}
        </section>
        {below}
      </div>
    </main>
  )
}

/** Separates two alternatives. */
export function OrLine({ children }: { readonly children: string }): JSX.Element {
  return (
    <p className="flex items-center gap-3 text-small text-muted before:h-px before:flex-1 before:bg-border after:h-px after:flex-1 after:bg-border">
      {children}
    </p>
  )
}
