import type { JSX, ReactNode } from 'react'

/** A section of the description with its heading. */
export function Part({ title, children }: { readonly title: string; readonly children: ReactNode }): JSX.Element {
  return (
    <section aria-label={title} className="flex flex-col gap-4">
      <h2 className="text-title">{title}</h2>
      {children}
    </section>
  )
}
