import { createLink } from '@tanstack/react-router'
import type { AnchorHTMLAttributes, JSX, Ref } from 'react'
import { cx } from '../lib/cx.ts'
import { type ButtonSize, type ButtonTone, buttonClass } from './button.tsx'

type AnchorProps = AnchorHTMLAttributes<HTMLAnchorElement> & { readonly ref?: Ref<HTMLAnchorElement> }

/** A link styled as a button, for the next step. */
export const LinkButton = createLink(function ButtonAnchor({
  tone = 'secondary',
  size = 'md',
  className,
  ...rest
}: AnchorProps & { readonly tone?: ButtonTone; readonly size?: ButtonSize }): JSX.Element {
  return <a {...rest} className={buttonClass({ tone, size, className: cx('no-underline', className) })} />
})
