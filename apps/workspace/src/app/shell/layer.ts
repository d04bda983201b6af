/** What any screen can open over itself; one at a time. */
export type Layer = 'palette' | 'shortcuts' | 'sign-out' | 'drawer'
