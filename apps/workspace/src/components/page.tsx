import { type JSX, type ReactNode, useEffect } from 'react'
import { cx } from '../lib/cx.ts'

export interface PageProps {
  /** The screen's `h1` and the document title. Receives focus on navigation. */
  readonly title: string
  readonly isTitleHidden?: boolean
  readonly actions?: ReactNode
  readonly description?: ReactNode
  /** `wide` for data, `reading` for forms and text. */
  readonly width?: 'wide' | 'reading'
  readonly children: ReactNode
}

/** A screen with heading, actions and content. */
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

let titleOfPage = ''
let titleOfApp = 'Holdfast'

function renderDocumentTitle(): void {
  document.title = titleOfPage === '' ? titleOfApp : `${titleOfPage} · ${titleOfApp}`
}

/** Sets the tab title, for screens not using `Page`. */
export function useDocumentTitle(title: string): void {
  // The document title is external to React.
  useEffect(() => {
    titleOfPage = title
    renderDocumentTitle()
  }, [title])
}

/** Ends the tab title with the name of the workspace, while the user is signed in. */
export function useDocumentTitleEnd(name: string): void {
  useEffect(() => {
    titleOfApp = name
    renderDocumentTitle()
    return () => {
      titleOfApp = 'Holdfast'
      renderDocumentTitle()
    }
  }, [name])
}
