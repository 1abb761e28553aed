export const QUEUE_NAME = /^[a-z][a-z0-9-]{0,31}$/;

/** `<queue>-NN-<sequence, 12 base-36 digits>-<6 random>`, with `.<00001…>` for a child. */
export const TASK_ID = /^[a-z][a-z0-9-]{0,31}-\d{2,4}-[0-9a-z]{12}-[0-9a-z]{6}(\.\d{5,7})?$/;
