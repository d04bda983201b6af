import { type JSX, type ReactNode, type Ref, useId } from 'react'
import { cx } from '../lib/cx.ts'

/** A section of a screen. Its heading can receive focus when the focused control disappears. */
export function Section({
  title,
  description,
  action,
  headingRef,
  children,
}: {
  readonly title: string
  readonly description?: ReactNode
  readonly action?: ReactNode
  readonly headingRef?: Ref<HTMLHeadingElement>
  readonly children?: ReactNode
}): JSX.Element {
  const id = useId()
  return (
    <section aria-labelledby={id} className="flex flex-col gap-3">
      <div className="flex flex-wrap items-end justify-between gap-x-6 gap-y-2">
        <div className="min-w-0 flex-1 basis-72">
          <h2 id={id} tabIndex={-1} ref={headingRef} className="text-title outline-none">
            {title}
          </h2>
          {description === undefined ? null : <div className="max-w-[68ch] pt-0.5 text-muted">{description}</div>}
        </div>
        {action}
      </div>
      {children}
    </section>
  )
}

/** Framed rows. */
export function Rows({ label, children }: { readonly label: string; readonly children: ReactNode }): JSX.Element {
  return (
    <ul aria-label={label} className="divide-y divide-border rounded-lg border border-border bg-raised">
      {children}
    </ul>
  )
}

/** An item with details and actions, which wrap below on narrow screens. */
export function Row({
  icon,
  isIconSpared = false,
  isIconPlain = false,
  title,
  mark,
  children,
  actions,
  below,
}: {
  readonly icon?: ReactNode
  /** Hides the icon on phones to save space. */
  readonly isIconSpared?: boolean
  /** The icon is an image without background. */
  readonly isIconPlain?: boolean
  readonly title: ReactNode
  /** A chip beside the title. */
  readonly mark?: ReactNode
  readonly children?: ReactNode
  readonly actions?: ReactNode
  /** Full-width content, such as an error. */
  readonly below?: ReactNode
}): JSX.Element {
  return (
    <li className="flex flex-col gap-2 px-4 py-3">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-3">
        {icon === undefined ? null : (
          <span
            className={cx(
              'flex size-9 shrink-0 items-center justify-center rounded-md',
              !isIconPlain && 'bg-sunken text-muted',
              isIconSpared && 'max-tablet:hidden',
            )}
          >
            {icon}
          </span>
        )}
        <div className={cx('min-w-0 flex-1', icon === undefined ? 'basis-52' : 'basis-40')}>
          <div className="flex flex-wrap items-center gap-x-2 gap-y-1">
            <span className="font-medium [overflow-wrap:anywhere]">{title}</span>
            {mark}
          </div>
          {children === undefined ? null : (
            <div className="text-small [overflow-wrap:anywhere] text-muted">{children}</div>
          )}
        </div>
        {actions === undefined ? null : <div className="flex flex-wrap gap-2">{actions}</div>}
      </div>
      {below}
    </li>
  )
}

/** Placeholder within {@link Rows}. */
export function NoRows({ children }: { readonly children: ReactNode }): JSX.Element {
  return <p className="rounded-lg border border-dashed border-border px-4 py-5 text-center text-muted">{children}</p>
}
