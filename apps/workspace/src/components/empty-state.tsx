import type { JSX, ReactNode } from 'react'

/** Explains missing content and offers one main action. */
export function EmptyState({
  title,
  children,
  action,
  icon,
}: {
  readonly title: string
  readonly children?: ReactNode
  readonly action?: ReactNode
  readonly icon?: ReactNode
}): JSX.Element {
  return (
    <div className="mx-auto flex max-w-md flex-col items-center gap-3 px-6 py-12 text-center">
      {icon === undefined ? null : <span className="flex text-subtle">{icon}</span>}
      <p className="text-title text-text">{title}</p>
      {children === undefined ? null : <div className="text-body text-muted">{children}</div>}
      {action === undefined ? null : <div className="pt-2">{action}</div>}
    </div>
  )
}
