import { type JSX, type ReactNode, useEffect } from 'react'
import { cx } from '../lib/cx.ts'

export interface PageProps {
  /** The screen's `h1` and the document's title. Focus goes to it when the route changes. */
  readonly title: string
  readonly isTitleHidden?: boolean
  readonly actions?: ReactNode
  readonly description?: ReactNode
  /** `wide` for data, `reading` for forms and text. */
  readonly width?: 'wide' | 'reading'
  readonly children: ReactNode
}

/** A screen: its heading, its actions, its content. */
export function Page({
  title,
  isTitleHidden = false,
  actions,
  description,
  width = 'wide',
  children,
}: PageProps): JSX.Element {
  useDocumentTitle(title)
  return (
    <div
      className={cx(
        'mx-auto flex w-full flex-col px-4 py-5 laptop:px-8 laptop:py-7',
        width === 'reading' ? 'max-w-3xl' : 'max-w-6xl',
      )}
    >
      <header className={isTitleHidden ? 'sr-only' : 'flex flex-wrap items-start justify-between gap-x-6 gap-y-3 pb-5'}>
        <div className="min-w-0">
          <h1 tabIndex={-1} className="text-display [overflow-wrap:anywhere]">
            {title}
          </h1>
          {description === undefined ? null : <p className="max-w-[72ch] pt-1 text-body text-muted">{description}</p>}
        </div>
        {actions === undefined ? null : <div className="flex flex-wrap items-center gap-2">{actions}</div>}
      </header>
      {children}
    </div>
  )
}

/** Names the browser tab; for screens that do not use `Page`. */
export function useDocumentTitle(title: string): void {
  // The document's title is outside React.
  useEffect(() => {
    document.title = `${title} · Holdfast`
  }, [title])
}
