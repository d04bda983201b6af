/** Styles of an option in a list box or menu. */
export const optionClass =
  'flex min-h-8 cursor-default items-center gap-2 rounded-sm px-2 py-1 text-body text-text outline-none coarse:min-h-11 ' +
  'data-focused:bg-hover data-pressed:bg-pressed data-disabled:text-subtle data-disabled:opacity-60 forced:data-focused:outline-2'
