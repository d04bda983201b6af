import type { JSX } from 'react'

/** The anchor logo. Decorative, because the project's name is beside it. */
export function Logo({ size = 24 }: { readonly size?: number }): JSX.Element {
  return (
    <svg
      width={size}
      height={size}
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.9"
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden
    >
      <circle cx="12" cy="5.2" r="2.4" />
      <path d="M12 7.6v13M7.6 10.8h8.8M3.8 13.6c.5 4 4 7 8.2 7s7.700-3 8.200-7" />
    </svg>
  )
}
