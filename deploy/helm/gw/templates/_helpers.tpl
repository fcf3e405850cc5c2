{{/* Names, labels and the parts that all pods share. */}}

{{- define "gw.fullname" -}}
{{- if contains .Chart.Name .Release.Name }}{{ .Release.Name | trunc 50 | trimSuffix "-" }}
{{- else }}{{ printf "%s-%s" .Release.Name .Chart.Name | trunc 50 | trimSuffix "-" }}{{ end }}
{{- end }}

{{/* Selects the pods of one component: (list . "proxy"). Selectors are immutable, so this never changes. */}}
{{- define "gw.selector" -}}
app.kubernetes.io/name: gw
app.kubernetes.io/instance: {{ (index . 0).Release.Name }}
app.kubernetes.io/component: {{ index . 1 }}
{{- end }}

{{- define "gw.labels" -}}
{{ include "gw.selector" . }}
app.kubernetes.io/version: {{ (index . 0).Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ (index . 0).Release.Service }}
helm.sh/chart: {{ (index . 0).Chart.Name }}-{{ (index . 0).Chart.Version }}
{{- end }}

{{/* (list . ""); with an image as the second value, that one is used. */}}
{{- define "gw.image" -}}
{{- $chart := (index . 0).Chart }}
{{- with (index . 0).Values.image }}
{{- if index $ 1 }}{{ index $ 1 }}
{{- else if .digest }}{{ .repository }}@{{ .digest }}
{{- else }}{{ .repository }}:{{ .tag | default $chart.AppVersion }}{{ end }}
{{- end }}
{{- end }}

{{- define "gw.controlScheme" -}}
{{- if .Values.control.tlsSecretName }}https{{ else }}http{{ end }}
{{- end }}

{{- define "gw.controlUrl" -}}
{{- .Values.proxy.controlUrl | default (printf "%s://%s-control:4001" (include "gw.controlScheme" .) (include "gw.fullname" .)) }}
{{- end }}

{{/* A variable from a key of a Secret: (list "GW_PROXY_TOKEN" "secret" "key"). */}}
{{- define "gw.secretVariable" -}}
- name: {{ index . 0 }}
  valueFrom:
    secretKeyRef:
      name: {{ index . 1 }}
      key: {{ index . 2 }}
{{- end }}

{{- define "gw.databaseVariables" -}}
{{ include "gw.secretVariable" (list "GW_DATABASE_URL" .Values.secret.name .Values.secret.databaseUrlKey) }}
{{ include "gw.secretVariable" (list "GW_ENCRYPTION_KEY" .Values.secret.name .Values.secret.encryptionKeyKey) }}
{{- with .Values.secret.encryptionKeyPreviousKey }}
{{ include "gw.secretVariable" (list "GW_ENCRYPTION_KEY_PREVIOUS" $.Values.secret.name .) }}
{{- end }}
{{- end }}

{{/* A Service named gw would otherwise become variables that look like settings. */}}
{{- define "gw.pod" -}}
enableServiceLinks: false
{{- with .Values.image.pullSecrets }}
imagePullSecrets: {{- toYaml . | nindent 2 }}
{{- end }}
securityContext:
  runAsNonRoot: true
  runAsUser: 10001
  runAsGroup: 10001
  fsGroup: 10001
  seccompProfile:
    type: RuntimeDefault
{{- end }}

{{- define "gw.container" -}}
image: {{ include "gw.image" . }}
imagePullPolicy: {{ (index . 0).Values.image.pullPolicy }}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities:
    drop: [ALL]
{{- end }}

{{/* (list "http" "HTTP") */}}
{{- define "gw.probes" -}}
# An hour: a control plane answers once it has migrated the database, which can take long.
startupProbe:
  httpGet: { path: /healthz, port: {{ index . 0 }}, scheme: {{ index . 1 }} }
  periodSeconds: 10
  timeoutSeconds: 3
  failureThreshold: 360
readinessProbe:
  httpGet: { path: /readyz, port: {{ index . 0 }}, scheme: {{ index . 1 }} }
  periodSeconds: 5
  timeoutSeconds: 3
  failureThreshold: 3
livenessProbe:
  httpGet: { path: /healthz, port: {{ index . 0 }}, scheme: {{ index . 1 }} }
  periodSeconds: 10
  timeoutSeconds: 3
  failureThreshold: 3
{{- end }}

{{/* Over the nodes: (list . "proxy"). */}}
{{- define "gw.spread" -}}
topologySpreadConstraints:
  - maxSkew: 1
    topologyKey: kubernetes.io/hostname
    whenUnsatisfiable: ScheduleAnyway
    labelSelector:
      matchLabels: {{- include "gw.selector" . | nindent 8 }}
{{- end }}
