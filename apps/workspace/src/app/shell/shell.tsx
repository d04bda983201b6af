import type { JSX, ReactNode } from 'react'

export function Shell({ children }: { readonly children: ReactNode }): JSX.Element {
  return <main id="content">{children}</main>
}
