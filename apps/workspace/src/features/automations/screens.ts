/** The screens of automations, which load together. */
export { AutomationScreen } from './automation-screen.tsx'
export { AutomationsScreen } from './automations-screen.tsx'
