// How much the page shows of large programs, so that it never stands still.
export const MANY = 400; // boxes that are laid out without asking
export const MOST = 5000; // boxes that are laid out at all
export const LARGE = 5000; // nodes that the page knows one by one: for lines, labels and details
export const SLOW = 700; // ms after which a layout is said to be under way
export const PATIENCE = 20000; // ms after which a layout that nobody asked for is stopped
export const TRACE = 3e6; // steps of the simplifier times nodes: going to the last takes a second
