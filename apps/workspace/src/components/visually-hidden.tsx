import type { JSX, ReactNode } from 'react'

/** Words for screen readers only. */
export function VisuallyHidden({ children }: { readonly children: ReactNode }): JSX.Element {
  return <span className="sr-only">{children}</span>
}
