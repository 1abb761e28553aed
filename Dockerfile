# One image for server and workers; docker-compose.yml says which of the two a container runs.

FROM node:20-bookworm-slim AS build
WORKDIR /galley
# Its installer would fetch GPU libraries that nothing here uses.
ENV ONNXRUNTIME_NODE_INSTALL=skip TURBO_TELEMETRY_DISABLED=1
# First what dependencies hang on, so that a change of code alone does not install them anew.
COPY package.json package-lock.json .npmrc ./
COPY packages/contract/package.json packages/contract/
COPY packages/core/package.json packages/core/
COPY packages/ocr/package.json packages/ocr/
COPY packages/blobs/package.json packages/blobs/
COPY apps/server/package.json apps/server/
COPY apps/worker/package.json apps/worker/
COPY apps/dashboard/package.json apps/dashboard/
COPY apps/cli/package.json apps/cli/
COPY e2e/package.json e2e/
COPY bench/package.json bench/
COPY chaos/package.json chaos/
RUN npm ci
COPY turbo.json tsconfig.base.json ./
COPY packages packages
COPY apps apps
RUN npx turbo run build --filter=@galley/server --filter=@galley/worker --filter=@galley/dashboard --filter=@galley/cli \
  && npm prune --omit=dev --ignore-scripts \
  && rm -rf packages/*/src apps/*/src .turbo

FROM node:20-bookworm-slim
WORKDIR /galley
ENV NODE_ENV=production GALLEY_DATA_DIR=/data
COPY --from=build /galley/package.json ./
COPY --from=build /galley/node_modules node_modules
COPY --from=build /galley/packages packages
COPY --from=build /galley/apps apps
# A new named volume takes this owner over, so that the process needs no root to write there.
RUN mkdir /data && chown node:node /data && chmod 700 /data
USER node
EXPOSE 7300
CMD ["node", "--enable-source-maps", "apps/server/dist/main.js"]
